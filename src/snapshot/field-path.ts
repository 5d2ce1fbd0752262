const LONGEST_KEY = 512;
const PLAIN = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** A JSON pointer as users write fields: `/spec/rules/0/host` → `spec.rules[0].host`. Keys that are no words are quoted. */
export function fieldPath(pointer: string): string {
  let path = '';
  for (const raw of pointer.split('/').slice(1)) {
    const step = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    if (/^[0-9]+$/.test(step)) path += `[${step}]`;
    else if (PLAIN.test(step)) path += path === '' ? step : `.${step}`;
    else path += `["${step}"]`;
  }
  return path;
}

/** `metadata.annotations["kubernetes.io/ingress.class"]` */
export function annotationField(key: string): string {
  return `metadata.annotations[${JSON.stringify(key.length > LONGEST_KEY ? `${key.slice(0, LONGEST_KEY)}…` : key)}]`;
}
