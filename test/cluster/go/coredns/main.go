// Command coredns is CoreDNS with the plugins that the test cluster's DNS uses. The other plugins bring the libraries
// of every large cloud, which take most of the time that CoreDNS takes to build.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/health"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/log"
	_ "github.com/coredns/coredns/plugin/ready"
)

func main() {
	// A query passes the plugins in this order, whatever theirs is in the Corefile.
	dnsserver.Directives = []string{"ready", "health", "errors", "log", "kubernetes"}
	coremain.Run()
}
