/** What the configuration tells the program when nginx loads it. */
export interface Options {
  /** Id of the configuration: changes with every byte of it. */
  conf: string;
  /** File with the control token, readable by the master's account alone. */
  tokenFile: string;
  dataZone: string;
  certificateZone: string;
  countersZone: string;
  /** While zones are being replaced: the ones that hold the records so far. */
  formerDataZone?: string;
  formerCertificateZone?: string;
  /** Whether anybody reads what the log phase would write. */
  accessLog: boolean;
  /** Names of its locations and groups that records may name. */
  profiles: string[];
}

export interface Settings {
  conf: string;
  token: string;
  accessLog: boolean;
  data: SharedDictionary;
  certificates: SharedDictionary;
  counters: SharedDictionary;
  profiles: LuaTable<string, true>;
}

/** One table that init fills, so that modules may keep a reference to it. */
export const settings = {} as Settings;

/** Runs once in the master. An error here keeps nginx from starting: without a token there is no control. */
export function configure(options: Options): void {
  const [file, problem] = io.open(options.tokenFile, 'r');
  if (file === undefined) {
    error('weir: the control token could not be read: ' + tostring(problem), 0);
  }
  const text = file.read('*a') as unknown as string | undefined;
  file.close();
  const [token] = string.match(text ?? '', '^%s*(%S+)%s*$');
  if (token === undefined || token.length < 16) {
    error('weir: the control token in ' + options.tokenFile + ' is missing or shorter than 16 characters', 0);
  }
  const data = ngx.shared[options.dataZone];
  const certificates = ngx.shared[options.certificateZone];
  const counters = ngx.shared[options.countersZone];
  if (data === undefined || certificates === undefined || counters === undefined) {
    error('weir: a zone that init names is not in the configuration', 0);
  }
  if (options.formerDataZone !== undefined && options.formerCertificateZone !== undefined) {
    moveRecords(ngx.shared[options.formerDataZone], data);
    moveRecords(ngx.shared[options.formerCertificateZone], certificates);
  }
  data.safe_add('version', 0);
  settings.conf = options.conf;
  settings.token = token;
  settings.accessLog = options.accessLog;
  settings.profiles = new LuaTable();
  for (const name of options.profiles) {
    settings.profiles.set(name, true);
  }
  settings.data = data;
  settings.certificates = certificates;
  settings.counters = counters;
}

/**
 * Fills a new, larger zone before any worker of the new configuration runs. The former one stays as it is for the
 * workers that still drain. A zone that has something was filled by an earlier load.
 */
function moveRecords(former: SharedDictionary | undefined, zone: SharedDictionary): void {
  if (former === undefined || zone.get_keys(1).length > 0) {
    return;
  }
  for (const key of former.get_keys(0)) {
    const [value] = former.get(key);
    if (value !== undefined && key !== 'apply-lock') {
      const [done, problem] = zone.safe_set(key, value as string | number);
      if (!done) {
        error('weir: the new zone can not hold the records of the former one: ' + tostring(problem), 0);
      }
    }
  }
}
