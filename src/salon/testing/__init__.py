"""For tests of Salon and of backends: scripted parts and the contract suite of each port."""
