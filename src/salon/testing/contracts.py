"""The suite of each port, to inherit in a backend's tests."""

from salon.testing.chat_contract import ChatModelContract
from salon.testing.embedder_contract import EmbedderContract, TokenEmbedderContract
from salon.testing.store_contract import VectorStoreContract

__all__ = ["ChatModelContract", "EmbedderContract", "TokenEmbedderContract", "VectorStoreContract"]
