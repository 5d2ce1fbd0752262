import type { ExecPlugin } from '../kube-config.ts';
import { isMapping, type KubeconfigEntry } from './kubeconfig-entry.ts';

const VERSIONS: readonly ExecPlugin['apiVersion'][] = [
  'client.authentication.k8s.io/v1',
  'client.authentication.k8s.io/v1beta1',
];

export function readExecPlugin(entry: KubeconfigEntry): ExecPlugin {
  const apiVersion = VERSIONS.find((version) => version === entry.text('apiVersion'));
  if (apiVersion === undefined) {
    throw entry.problem(
      'apiVersion',
      `must be one of ${VERSIONS.join(', ')}`,
      'Bring the plugin up to date and write the version it speaks.',
    );
  }
  const command = entry.text('command');
  if (command === undefined) throw entry.problem('command', 'is missing', 'Name the program that gives credentials.');
  if (entry.text('interactiveMode') === 'Always') {
    throw entry.problem(
      'interactiveMode',
      'is Always, and weir has no terminal to ask anybody',
      'Use credentials that need no person: a service account token or a client certificate.',
    );
  }
  const installHint = entry.text('installHint');
  return {
    apiVersion,
    // A bare name is looked for in PATH; one with a slash is relative to the kubeconfig.
    command: command.includes('/') ? entry.fileOf(command) : command,
    args: entry.list('args').map((argument, index) => {
      if (typeof argument !== 'string') throw entry.problem(`args[${index}]`, 'must be a string', 'Put it in quotes.');
      return argument;
    }),
    environment: environmentOf(entry),
    provideClusterInfo: entry.flag('provideClusterInfo'),
    ...(installHint === undefined ? {} : { installHint }),
  };
}

function environmentOf(entry: KubeconfigEntry): Readonly<Record<string, string>> {
  const variables: Record<string, string> = {};
  for (const [index, item] of entry.list('env').entries()) {
    if (!isMapping(item) || typeof item.name !== 'string' || typeof item.value !== 'string') {
      throw entry.problem(
        `env[${index}]`,
        'must have a name and a value, both strings',
        'Write "- name: …" and "value: …" below it.',
      );
    }
    variables[item.name] = item.value;
  }
  return variables;
}
