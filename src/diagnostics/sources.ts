import type { CatalogueEntry } from './catalogue.ts';

/** What can be wrong with a source of objects, or with an object before anything of its meaning is looked at. */
export const SOURCE_FINDINGS = {
  folderUnavailable: {
    code: 'WEIR0001',
    severity: 'error',
    title: 'Manifests not available',
    explanation:
      'A folder or file of manifests is missing or cannot be read. The objects last read from it stay in force until it is back; an empty folder, on the other hand, means that nothing is wanted.',
    fix: 'Create it, or give the user that runs weir the right to read it.',
  },
  fileUnreadable: {
    code: 'WEIR0002',
    severity: 'error',
    title: 'Manifest not readable',
    explanation: 'A file or sub-folder cannot be read. The objects last read from it stay in force.',
    fix: 'Give the user that runs weir the right to read it, and save it as UTF-8.',
  },
  syntax: {
    code: 'WEIR0003',
    severity: 'error',
    title: 'Not valid YAML or JSON',
    explanation:
      'A document cannot be parsed. If the whole file was good before, all objects last read from it stay in force; if it never was, its other documents count.',
    fix: 'Correct the document at the place named.',
  },
  duplicateField: {
    code: 'WEIR0004',
    severity: 'error',
    title: 'Field given twice',
    explanation:
      'A mapping has the same key twice. Kubernetes rejects this, because one of the two values would be lost. The document counts as one that cannot be parsed.',
    fix: 'Remove one of the two.',
  },
  aliases: {
    code: 'WEIR0005',
    severity: 'error',
    title: 'YAML aliases expand too far',
    explanation: 'A document uses aliases that contain themselves, or that expand to many times its size.',
    fix: 'Write the values out instead of using aliases.',
  },
  fileTooLarge: {
    code: 'WEIR0006',
    severity: 'error',
    title: 'Manifest file too large',
    explanation: 'A file is larger than 64 MiB and is not read. The objects last read from it stay in force.',
    fix: 'Split it into several files.',
  },
  objectTooLarge: {
    code: 'WEIR0007',
    severity: 'error',
    title: 'Object too large',
    explanation:
      'An object is larger than 1.5 MiB, which a Kubernetes cluster could not store, or stands in a document of more than 3 MiB that is not a List. It is not read; what it said before, if anything, stays in force.',
    fix: 'Make it smaller, or split it into several objects.',
  },
  notAnObject: {
    code: 'WEIR0008',
    severity: 'warning',
    title: 'Not a Kubernetes object',
    explanation: 'A document has no kind or no apiVersion, or is not a mapping at all. It is left out.',
    fix: 'Give it apiVersion and kind, or move the file out of the manifests folder.',
  },
  nameMissing: {
    code: 'WEIR0009',
    severity: 'error',
    title: 'Object without a name',
    explanation: 'An object has no metadata.name, or its name or namespace is not text. It is left out.',
    fix: 'Set metadata.name; put quotes around a name that looks like a number, a date or a yes or no.',
  },
  nameInvalid: {
    code: 'WEIR0010',
    severity: 'error',
    title: 'Impossible name',
    explanation: 'The name or namespace of an object is not one that Kubernetes accepts. The object is left out.',
    fix: 'Use lower-case letters, digits, "-" and (not in a namespace) ".", beginning and ending with a letter or digit.',
  },
  outdatedVersion: {
    code: 'WEIR0011',
    severity: 'error',
    title: 'API version not served any more',
    explanation:
      'An object is written for an API version that Kubernetes removed, or that does not exist. Its fields have other meanings, so it is not read; what it said before, if anything, stays in force.',
    fix: 'Convert it to the version named (`kubectl convert` does it).',
  },
  definedTwice: {
    code: 'WEIR0012',
    severity: 'warning',
    title: 'Object defined twice',
    explanation:
      'The same object stands in two places. The first counts, in the order of the folders given, then of paths, then within the file; the other is left out.',
    fix: 'Remove one of the two, or give it another name or namespace.',
  },
  notWatched: {
    code: 'WEIR0013',
    severity: 'warning',
    title: 'Folder not watched',
    explanation:
      'The operating system refuses to watch a folder (usually the limit of inotify watches). weir looks at it every two seconds instead.',
    fix: 'Raise fs.inotify.max_user_watches and fs.inotify.max_user_instances.',
  },
  noObjects: {
    code: 'WEIR0014',
    severity: 'warning',
    title: 'No objects',
    explanation:
      'Not one object of a kind that weir reads stands in the manifests given. That is an order to serve nothing, and more often a wrong folder.',
    fix: 'See that the path is the right one and that its files end in .yaml, .yml or .json.',
  },
  leftToCluster: {
    code: 'WEIR0015',
    severity: 'info',
    title: 'Objects left to the cluster',
    explanation:
      'The manifests hold not one object of a kind that a cluster makes by itself (EndpointSlice or Endpoints, which come from pods) or that something in it makes (Secret, as cert-manager does). `weir check` takes them to be there and leaves out what it would say of their absence. As soon as one object of the kind is among the manifests, each that is missing is reported.',
    fix: 'Nothing, if the cluster makes them. For `weir run`, which has only what the manifests say, add them.',
  },
  kindMisspelt: {
    code: 'WEIR0016',
    severity: 'warning',
    title: 'Kind in wrong case',
    explanation:
      'Kinds are compared with their case, and there is none of this spelling: an API server refuses the object. It is left out; what it said before, if anything, stays in force.',
    fix: 'Write the kind as it is spelt.',
  },
  notReadYet: {
    code: 'WEIR0017',
    severity: 'info',
    title: 'Kind not read yet',
    explanation:
      'An object belongs to the Gateway API, which weir does not read yet. It is left out, and nothing of it is served. Said once for each kind in a file.',
    fix: 'Use Ingress for now.',
  },
  notUnicode: {
    code: 'WEIR0018',
    severity: 'error',
    title: 'Text is not Unicode',
    explanation:
      'A text of the object has an escape for half of a surrogate pair (`\\ud800` to `\\udfff` alone), which stands for no character. The object is left out; what it said before, if anything, stays in force.',
    fix: 'Write the character itself, or both halves of its escape.',
  },
  rightMissing: {
    code: 'WEIR0019',
    severity: 'error',
    title: 'Right missing at the API server',
    explanation:
      'The API server does not let weir read objects without which nothing can be served in that scope. What was read before stays in force; other scopes are served. It is tried again, and noticed when the right is there.',
    fix: 'Give weir’s user the rule named; docs/reference/rbac.md lists all that weir needs.',
  },
  optionalRightMissing: {
    code: 'WEIR0020',
    severity: 'warning',
    title: 'Right missing, the rest works',
    explanation:
      'The API server does not let weir read objects of a kind that it can do without. The message says what is lost. It is tried again, and noticed when the right is there.',
    fix: 'Give weir’s user the rule named; docs/reference/rbac.md lists all that weir needs.',
  },
  ownNamespaceOnly: {
    code: 'WEIR0021',
    severity: 'warning',
    title: 'Only one namespace is served',
    explanation:
      'weir was not told which namespaces to watch, and the API server does not let it read Ingresses of all. It serves its own namespace, or that of the context, and watches all as soon as it may.',
    fix: 'Give weir a ClusterRole, or say with --watch-namespace that this is what is meant.',
  },
  apiServerUnavailable: {
    code: 'WEIR0022',
    severity: 'warning',
    title: 'API server does not answer',
    explanation:
      'Lists or watches fail. What was last read stays in force and is served; it is tried again with growing pauses of at most half a minute.',
    fix: 'See that the API server runs and can be reached from here.',
  },
  secretForbidden: {
    code: 'WEIR0023',
    severity: 'error',
    title: 'Secret may not be read',
    explanation:
      'Something that is served refers to a Secret that the API server does not let weir read, neither by listing the namespace nor by its name. For weir it does not exist; what was read of it before stays in force.',
    fix: 'Give weir’s user the right to get, list and watch this Secret.',
  },
  settingInvalid: {
    code: 'WEIR0024',
    severity: 'error',
    title: 'Setting in the ConfigMap not usable',
    explanation:
      'A key of the ConfigMap with weir’s settings is unknown, or its value is not one that the setting takes. The last good value stays in force; the other keys count.',
    fix: 'Correct the key or the value; docs/reference/config.md lists all settings.',
  },
  settingNeedsRestart: {
    code: 'WEIR0025',
    severity: 'warning',
    title: 'Setting waits for a restart',
    explanation:
      'The ConfigMap with weir’s settings says something else than is in force, of a setting that takes effect at the start only.',
    fix: 'Restart weir (`kubectl rollout restart`), or undo the change.',
  },
  configMapMissing: {
    code: 'WEIR0026',
    severity: 'warning',
    title: 'ConfigMap with settings not available',
    explanation:
      'The ConfigMap that --configmap names does not exist, or may not be read. The settings in force stay; it is followed as soon as it is there.',
    fix: 'Create it, or correct --configmap.',
  },
} as const satisfies Record<string, CatalogueEntry>;
