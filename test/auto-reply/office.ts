import { aConsentOffice } from '../consent/office.ts';
import type { Scope, StoreKind } from '../support/stores.ts';

/** A tenant whose device answers by itself, and people who write to it. */
export async function aSelfAnsweringOffice(scope: Scope, kind: StoreKind) {
  const office = await aConsentOffice(scope, kind);
  const path = `${office.desk.path}/auto-reply`;
  return {
    ...office,
    path,
    /** Makes a rule that answers `reply_body`; gives its id. */
    async rule(fields: object): Promise<string> {
      const answer = await office.api('POST', path, { name: 'rule', trigger_type: 'any', ...fields });
      if (answer.status !== 201) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body.id;
    },
  };
}
