import { settings } from './options';

/** Records summed up before others get their turn. */
const STRIDE = 512;

function isRecord(key: string): boolean {
  const [kind] = string.match(key, '^[cablsh]:');
  return kind !== undefined;
}

function send(zone: SharedDictionary): void {
  let lines: string[] = [];
  for (const key of zone.get_keys(0)) {
    if (isRecord(key)) {
      const [value] = zone.get(key);
      if (value !== undefined) {
        lines.push(key + ' ' + string.format('%08x', ngx.crc32_long(value as string)) + '\n');
      }
    }
    if (lines.length >= STRIDE) {
      ngx.print(table.concat(lines));
      lines = [];
      ngx.sleep(0);
    }
  }
  ngx.print(table.concat(lines));
}

/** A line for each record: its key and the CRC-32 of its bytes. */
export function sendRecords(): void {
  ngx.header['Content-Type'] = 'text/plain; charset=utf-8';
  send(settings.certificates);
  send(settings.data);
}
