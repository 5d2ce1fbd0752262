/** Which namespaces are watched. */
export type NamespaceChoice =
  /** All of them; where weir may not, `own`. */
  | { readonly kind: 'all'; readonly own: string }
  | { readonly kind: 'list'; readonly names: readonly string[] }
  /** Those with these labels, as an API server's labelSelector says it. */
  | { readonly kind: 'selector'; readonly selector: string };
