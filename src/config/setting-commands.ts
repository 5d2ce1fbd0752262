import { SETTING_KEYS, type SettingKey } from './settings.ts';

/** The commands that serve until they are stopped; `run` is the other two in one. */
export const SERVING_COMMANDS = ['run', 'controller', 'proxy'] as const;
export type ServingCommand = (typeof SERVING_COMMANDS)[number];

/** Settings that are about reading objects and making the model of them: not the proxy's. */
const OF_OBJECTS: ReadonlySet<SettingKey> = new Set([
  'manifests',
  'kubeconfig',
  'context',
  'configmap',
  'watch-namespace',
  'watch-namespace-selector',
  'watch-ingress-without-class',
  'http-port',
  'https-port',
  'ingress-class',
  'default-ssl-certificate',
  'trusted-proxies',
  'dns-server',
]);

/** Settings that are about the load balancer of this machine: not the controller's. */
const OF_TRAFFIC: ReadonlySet<SettingKey> = new Set([
  'driver',
  'access-log',
  'nginx',
  'workers',
  'drain-delay',
  'drain-timeout',
  'share-ports',
  'leave-nginx',
]);

/** Settings of the stream between controller and proxy, which `run` does without. */
const OF_STREAM: Readonly<Partial<Record<SettingKey, readonly ServingCommand[]>>> = {
  'model-listen': ['controller'],
  'model-from': ['proxy'],
  'model-tls-dir': ['controller', 'proxy'],
  'model-tls-secret': ['controller'],
  'proxy-name': ['proxy'],
};

/** The commands that a setting is for. One file of settings may serve them all: what is another's is passed over in it. */
export function commandsOf(key: SettingKey): readonly ServingCommand[] {
  if (OF_OBJECTS.has(key)) return ['run', 'controller'];
  if (OF_TRAFFIC.has(key)) return ['run', 'proxy'];
  return OF_STREAM[key] ?? SERVING_COMMANDS;
}

export function settingsOf(command: ServingCommand): readonly SettingKey[] {
  return SETTING_KEYS.filter((key) => commandsOf(key).includes(command));
}
