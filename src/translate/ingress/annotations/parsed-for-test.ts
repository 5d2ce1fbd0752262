import type { Finding } from '../../../diagnostics/finding.ts';
import type { Origin } from '../../../model/origin.ts';
import { type IngressSettings, defaultSettings } from '../settings.ts';
import { parseAnnotations } from './parse.ts';

export const ORIGIN: Origin = { object: { kind: 'Ingress', namespace: 'shop', name: 'web' }, field: '' };
export const NGINX = 'nginx.ingress.kubernetes.io/';
export const WEIR = 'weir.dev/';

export interface ParsedForTest {
  readonly settings: IngressSettings;
  readonly findings: readonly Finding[];
  /** The settings that differ from those of an Ingress without annotations. */
  readonly changed: Partial<IngressSettings>;
  /** `KEY CODE` of each finding, the key without prefix. */
  readonly said: readonly string[];
}

/** Parses annotations whose keys are written without their prefix. */
export function parsed(annotations: Readonly<Record<string, string>>, prefix: string = NGINX): ParsedForTest {
  const { settings, findings } = parseAnnotations(
    Object.fromEntries(Object.entries(annotations).map(([name, text]) => [prefix + name, text])),
    ORIGIN,
  );
  const defaults: Partial<IngressSettings> = defaultSettings();
  const changed = Object.fromEntries(
    Object.entries(settings).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(defaults[name as keyof IngressSettings]),
    ),
  );
  const said = findings.map(({ field, code }) => `${/\/([^/"]*)"\]$/.exec(field)?.[1] ?? field} ${code}`);
  return { settings, findings, changed, said };
}
