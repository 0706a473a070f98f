"""One vendor each, found by the `salon.backends` entry point; nothing of Salon imports them."""
