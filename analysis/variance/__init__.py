"""Components of the variance of scores, and the plan of seeds and repeats that follows from them."""
