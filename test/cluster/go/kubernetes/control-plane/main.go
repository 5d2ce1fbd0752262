// Command control-plane is kube-apiserver, kube-controller-manager or kubectl: the name it is called by decides.
// One executable, because what they share takes most of the time to build and most of the room.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

func main() {
	servers := map[string]func() *cobra.Command{
		"kube-apiserver":          apiserver.NewAPIServerCommand,
		"kube-controller-manager": controllermanager.NewControllerManagerCommand,
	}
	name := filepath.Base(os.Args[0])
	if name == "kubectl" {
		// kubectl words its own errors and exit codes.
		util.CheckErr(cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()))
		return
	}
	command, known := servers[name]
	if !known {
		fmt.Fprintf(os.Stderr, "control-plane: called as %q; it must be called by one of its names\n", name)
		os.Exit(2)
	}
	os.Exit(cli.Run(command()))
}
