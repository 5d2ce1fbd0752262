import type { Finding } from '../../diagnostics/finding.ts';
import { finding } from '../../diagnostics/catalogue.ts';
import { SOURCE_FINDINGS } from '../../diagnostics/sources.ts';
import type { ObjectWatch } from './object-watch.ts';
import type { WatchedKind } from './watched-kinds.ts';

/** What weir's own settings and surroundings are called among findings. */
export const CONFIGURATION = { kind: 'Configuration', namespace: '', name: 'weir' };

/** The API server refuses this watch: which verb, which resource, where, what is lost, and the commands that mend it. */
export function missingRight(watch: ObjectWatch): readonly Finding[] {
  const { kind, at, trouble } = watch;
  if (trouble === undefined) return [];
  const fix = grant(kind, at, subjectIn(trouble.message));
  if (at.name !== undefined) {
    const object = { kind: 'Secret', namespace: at.namespace ?? '', name: at.name };
    const message = `weir may not ${listed(kind.verbs)} Secret ${at.namespace}/${at.name}, which is referred to.`;
    return [finding(SOURCE_FINDINGS.secretForbidden, { object, field: '' }, message, fix)];
  }
  const entry = kind.required ? SOURCE_FINDINGS.rightMissing : SOURCE_FINDINGS.optionalRightMissing;
  const message = `weir may not ${listed(kind.verbs)} ${fullName(kind)} ${scopeText(watch)}. ${kind.without}.`;
  return [finding(entry, { object: CONFIGURATION, field: `rbac.${kind.resource.plural}` }, message, fix)];
}

/** All namespaces were meant, and only this one may be read. */
export function ownNamespaceOnly(watch: ObjectWatch, namespace: string): Finding {
  const subject = subjectIn(watch.trouble?.message ?? '');
  const message = `weir may not ${listed(watch.kind.verbs)} ${fullName(watch.kind)} in all namespaces; only namespace ${namespace} is served.`;
  const fix = `Say --watch-namespace ${namespace} if that is what is meant. Otherwise: ${grant(watch.kind, {}, subject)}`;
  return finding(SOURCE_FINDINGS.ownNamespaceOnly, { object: CONFIGURATION, field: 'watch-namespace' }, message, fix);
}

export function apiServerUnavailable(server: string, error: Error): Finding {
  const message = `The API server ${server} does not answer as it should; what was last read stays in force: ${error.message}`;
  return finding(SOURCE_FINDINGS.apiServerUnavailable, { object: CONFIGURATION, field: 'kubernetes' }, message);
}

/** `in namespace shop` */
export function scopeText({ kind, at: { namespace } }: ObjectWatch): string {
  if (namespace !== undefined) return `in namespace ${namespace}`;
  return kind.resource.namespaced ? 'in all namespaces' : 'of the cluster';
}

/** `ingresses.networking.k8s.io`, as kubectl takes it. */
function fullName({ resource: { plural, group } }: WatchedKind): string {
  return group === '' ? plural : `${plural}.${group}`;
}

function grant(kind: WatchedKind, at: ObjectWatch['at'], subject: string): string {
  const { namespace, name } = at;
  const role = `weir-${kind.resource.plural}${name === undefined ? '' : `-${name}`}`;
  const rule = `--verb=${kind.verbs.join(',')} --resource=${fullName(kind)}${name === undefined ? '' : ` --resource-name=${name}`}`;
  if (namespace === undefined) {
    return `kubectl create clusterrole ${role} ${rule}; kubectl create clusterrolebinding ${role} --clusterrole=${role} ${subject}`;
  }
  return `kubectl -n ${namespace} create role ${role} ${rule}; kubectl -n ${namespace} create rolebinding ${role} --role=${role} ${subject}`;
}

/** As the API server calls weir's user in a refusal: `User "system:serviceaccount:weir:weir" cannot list …`. */
function subjectIn(message: string): string {
  const user = /User "([^"\s]+)"/u.exec(message)?.[1];
  if (user === undefined) return '--user=USER';
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/u.exec(user) ?? [];
  return namespace === undefined ? `--user=${user}` : `--serviceaccount=${namespace}:${name}`;
}

/** `list and watch` */
function listed(words: readonly string[]): string {
  return [words.slice(0, -1).join(', '), words.at(-1)].filter((part) => part !== '').join(' and ');
}
