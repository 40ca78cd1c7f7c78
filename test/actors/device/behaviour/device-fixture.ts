import type { DeviceFacts } from '../../../../actors/device/behaviour/facts.ts';
import type { PasskeyCredential, PasskeyOptions } from '../../../../actors/network/passkey.ts';

export const DIGITS = '6281100000001';
export const CREDENTIALS = { login: 1 };
/** A passkey, and what asked for it. */
export const CREDENTIAL: PasskeyCredential = {
  id: 'a2V5',
  type: 'public-key',
  response: { clientDataJSON: 'e30', authenticatorData: 'AAAA', signature: 'AAAA' },
};
export const OPTIONS: PasskeyOptions = { challenge: 'Y2hhbGxlbmdl', rpId: 'example.com', timeout: 60_000, userVerification: 'required' };

/** A device that was just made, but for what is said otherwise. */
export const factsOf = (facts: Partial<DeviceFacts> = {}): DeviceFacts => ({
  owner: { tenantId: 't', sessionId: 's', epoch: 1 },
  credentials: null,
  phone: null,
  moving: null,
  wanted: false,
  status: 'pending',
  reason: null,
  retryAt: null,
  ignore: { groups: false, channels: false },
  proxyUrl: null,
  habits: [],
  history: { most: 0, months: null },
  pacing: { minDelayMs: 0, maxDelayMs: 0 },
  linkedAt: null,
  groupsListedAt: null,
  warmupUntil: null,
  restriction: null,
  slowed: null,
  isOfficial: false,
  reconnects: [],
  unpublished: false,
  ...facts,
});
