"""A judge of chains, who reads texts alone and computes in exact numbers, by sympy.

`expressions` reads what is computed, `definitions` what is defined, `questions` what is asked, and
`chains` judges the steps of a chain by what their texts mean.
"""
