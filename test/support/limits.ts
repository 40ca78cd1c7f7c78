import type { Limits } from '../../http/limits/limits.ts';

/** For stories that every call is to get through. */
export const NEVER_FULL: Limits = {
  take: (_key, limit) => ({ ok: true, limit, remaining: limit, resetMs: 60_000 }),
  takeAll: (windows) => windows.map(({ max: limit, windowMs }) => ({ ok: true, limit, remaining: limit, resetMs: windowMs })),
};
