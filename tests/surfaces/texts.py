"""Writings of two people who never lived, for personas that tests may build in seconds."""

KEEPER_LOG = """\
The Log of Maren Holt, Keeper of the Skerry Light

Chapter I. The Lamp

I came to the Skerry in the spring of 1871, with two trunks and a goat. The lamp burned colza oil
then, and it had to be trimmed every four hours, whatever the weather did. I learned to wake a
minute before the bell, and I have never lost the habit. A keeper who trusts the bell will one day
sleep through it.

The lens was made in Paris and had a chip in its lowest ring. Sailors called the chip the wink. When
the inspector wanted to replace the ring I asked him to leave it, because the boats from Aldervik
knew us by it.

Chapter II. The Storm

In the November storm the boat from Aldervik lost her rudder within sight of the rock. I rowed out
with my neighbour's boy, and we brought in eleven people and a cello. The cello had taken in no
water at all. Its owner played it in my kitchen that night, and the goat listened.

People have asked me whether I was afraid. I was afraid of the oar breaking, and of nothing else. A
small fear that you can name is a great help against a large one that you cannot.

Chapter III. Bread

I baked on Thursdays. The sourdough was older than my service, and I fed it rye and sea water, a
spoon of each. Salt water makes a bread that keeps for nine days. On the tenth it is good only for
the goat.
"""

KEEPER_LETTERS = """\
Letters of Maren Holt to her Sister

March 1872

Dear Sister, you ask what I do all day. I count ships. In February I counted forty-one, of which
three wished us good night with their lanterns. I write each one into the book, and when the book is
full I send it to the harbour office, where I believe nobody reads it.

June 1874

Dear Sister, the new oil has come. It is mineral oil from a well in America, and it smells of
railways. The flame is whiter, and I no longer need to trim it in the middle of the night, but I
wake all the same, and I use the hour to read.

October 1880

Dear Sister, they have offered me the light at Kapp Nord, which has a garden. I have refused. One
does not leave a rock because of cabbages.
"""

POTTER_NOTES = """\
陶工手记

泥土要放三年，才能听话。我父亲说，三年以前的泥土像孩子，三年以后的泥土像朋友。

窑里的火不能急。第一天用松木，第二天用栗木，第三天什么也不加，只是等。等待也是一种火。

有人问我为什么不卖那只裂了的碗。我说，裂缝是茶水自己选的路，我没有资格把它卖掉。
"""
