"""Many counting questions at once: what is asked, by which strategy it is measured, and how answers come of that."""
