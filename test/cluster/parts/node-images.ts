import { ClusterError } from '../cluster-error.ts';
import { enterCommand } from '../machine/daemon.ts';
import type { ProcessIdentity } from '../machine/process-identity.ts';
import { runTool } from '../machine/run-tool.ts';
import { CONTAINERD_SOCKET } from './node.ts';

/** Names of the images that a node's containerd holds for the kubelet, without their checksums. */
export async function imagesOf(node: ProcessIdentity): Promise<readonly string[]> {
  const names = (await inNode(node, ['images', 'list', '--quiet'])).split('\n');
  return names.filter((name) => name !== '' && !name.startsWith('sha256:'));
}

/** Imports an OCI or Docker archive into a node's containerd; the names of its images. */
export async function importImage(node: ProcessIdentity, archive: string): Promise<readonly string[]> {
  const said = await inNode(node, ['images', 'import', archive]);
  const names = importedNames(said);
  if (names.length === 0) {
    throw new ClusterError(`${archive} holds no image with a name; containerd said: ${said.trim() || 'nothing'}`);
  }
  return names;
}

/** containerd 1 and 2 word it differently. */
export function importedNames(said: string): readonly string[] {
  return [...said.matchAll(/^unpacking (\S+)|^(\S+)\s+saved$/gm)].flatMap((match) => match[1] ?? match[2] ?? []);
}

export function inNode(node: ProcessIdentity, args: readonly string[]): Promise<string> {
  const [command = '', ...rest] = [
    ...enterCommand(node),
    'ctr',
    '--address',
    CONTAINERD_SOCKET,
    '-n',
    'k8s.io',
    ...args,
  ];
  return runTool(command, rest, { timeoutMs: 180_000 });
}
