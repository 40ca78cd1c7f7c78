export type MexAnswer =
  | { readonly kind: 'data'; readonly data: unknown }
  | { readonly kind: 'refused'; readonly code: number; readonly text: string; readonly isRetryable: boolean }
  /** The binary format that phones use (`argo`). */
  | { readonly kind: 'binary' }
  | { readonly kind: 'unreadable' };

interface Result {
  readonly format: string | undefined;
  readonly content: unknown;
}

export function readMex({ format, content }: Result, root: string): MexAnswer {
  if (format === 'argo') return { kind: 'binary' };
  const answer = parsed(content);
  if (!isObject(answer)) return { kind: 'unreadable' };
  const [first] = Array.isArray(answer['errors']) ? answer['errors'] : [];
  if (first !== undefined) return refused(first);
  const data = isObject(answer['data']) ? answer['data'][root] : undefined;
  return data === undefined ? { kind: 'unreadable' } : { kind: 'data', data };
}

function refused(error: unknown): MexAnswer {
  const { message, extensions } = isObject(error) ? error : {};
  const { error_code, is_retryable } = isObject(extensions) ? extensions : {};
  return {
    kind: 'refused',
    code: typeof error_code === 'number' ? error_code : 400,
    text: typeof message === 'string' ? message : '',
    isRetryable: is_retryable === true,
  };
}

function parsed(content: unknown): unknown {
  if (!(content instanceof Uint8Array) && typeof content !== 'string') return null;
  try {
    return JSON.parse(Buffer.from(content).toString());
  } catch {
    return null;
  }
}

export type Fields = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
