"""Router to observations: plan what a night asks, ask it, and say of each request what came of it."""
