module weir.test/cluster/images

go 1.26.0
