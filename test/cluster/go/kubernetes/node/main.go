// Command node is kubelet, kube-proxy or kube-scheduler: the name it is called by decides.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

func main() {
	commands := map[string]func() *cobra.Command{
		"kubelet":        func() *cobra.Command { return kubelet.NewKubeletCommand(context.Background()) },
		"kube-proxy":     proxy.NewProxyCommand,
		"kube-scheduler": func() *cobra.Command { return scheduler.NewSchedulerCommand() },
	}
	name := filepath.Base(os.Args[0])
	command, known := commands[name]
	if !known {
		fmt.Fprintf(os.Stderr, "node: called as %q; it must be called by one of its names\n", name)
		os.Exit(2)
	}
	os.Exit(cli.Run(command()))
}
