import type { ConsentCheck } from '../../actors/consent/check.ts';
import { REFUSALS } from '../../actors/refusals.ts';
import type { Lang } from '../row.ts';

export interface Warning {
  readonly code: string;
  readonly message: string;
}

/** What goes into the answer of a 1:1 send (spec.md SendMessageResponse): `warnings` where there are any. Refuses RECIPIENT_OPTED_OUT. */
export async function warningsFor(
  { consentCheck }: { readonly consentCheck: ConsentCheck },
  tenantId: string,
  chat: string,
  lang: Lang,
): Promise<{ readonly warnings?: readonly Warning[] }> {
  if (!(await consentCheck.warns(tenantId, chat))) return {};
  return { warnings: [{ code: 'RECIPIENT_OPTED_OUT', message: REFUSALS.RECIPIENT_OPTED_OUT[lang] }] };
}
