import { Refusal } from '../../runtime/errors.ts';

const LET_ALONE_MS = 60_000;

const SAID = {
  forbidden: { en: 'the network does not allow this account to do that', id: 'jaringan tidak mengizinkan akun ini melakukannya' },
  gone: { en: 'the network could not find what was requested', id: 'yang diminta tidak ditemukan di jaringan' },
  invalid: { en: 'the network did not accept the request', id: 'jaringan tidak menerima permintaan ini' },
  conflict: {
    en: 'the data has changed in the meantime; fetch it again',
    id: 'data sudah berubah; ambil lagi datanya',
  },
  often: { en: 'too many requests to the network; try again later', id: 'terlalu banyak permintaan ke jaringan; coba lagi nanti' },
};

const REFUSALS: Readonly<Record<number, { readonly code: string; readonly reason: (typeof SAID)[keyof typeof SAID] }>> = {
  400: { code: 'VALIDATION_FAILED', reason: SAID.invalid },
  401: { code: 'FORBIDDEN', reason: SAID.forbidden },
  403: { code: 'FORBIDDEN', reason: SAID.forbidden },
  404: { code: 'NOT_FOUND', reason: SAID.gone },
  406: { code: 'VALIDATION_FAILED', reason: SAID.invalid },
  409: { code: 'CONFLICT', reason: SAID.conflict },
  410: { code: 'NOT_FOUND', reason: SAID.gone },
  429: { code: 'RATE_LIMITED', reason: SAID.often },
};

/** `network` is the network's own error number. Unknown numbers become CONFLICT. */
export function networkRefusal(number: number, reason?: { readonly en: string; readonly id: string }): Refusal {
  const unknown = { en: `the network refused the request (${number})`, id: `jaringan menolak permintaan ini (${number})` };
  const { code, reason: usual } = REFUSALS[number] ?? { code: 'CONFLICT', reason: unknown };
  return new Refusal(code, { reason: reason ?? usual, network: number, ...(number === 429 && { retryAfterMs: LET_ALONE_MS }) });
}

export const isOurLimit = (cause: unknown): boolean =>
  cause instanceof Refusal && cause.code === 'RATE_LIMITED' && cause.details['network'] === undefined;
