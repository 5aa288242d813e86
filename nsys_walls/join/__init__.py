"""The join between traced kernels and profiled launches.

Time comes from one run, counters from another one in which every kernel is replayed. What
ties them together is printed differently on both sides: names lose namespaces and casts,
headers lack launch shapes, one launch stands in several files. So nothing is joined by
position, and every kernel is told how well its counters fit.

Names are read in `nsys_walls.join.names`, files of one launch are brought together in
`nsys_walls.join.profiles`, and levels are decided in `nsys_walls.join.match`.
"""
