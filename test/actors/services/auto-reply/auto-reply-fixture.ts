import type { Scope, StoreKind } from '../../../support/stores.ts';
import { aConsentFixture } from '../consent/consent-fixture.ts';

/** A tenant whose device answers by itself, and people who write to it. */
export async function aSelfAnsweringOffice(scope: Scope, kind: StoreKind) {
  const fixture = await aConsentFixture(scope, kind);
  const path = `${fixture.device.path}/auto-reply`;
  return {
    ...fixture,
    path,
    /** Makes a rule that answers `reply_body`; gives its id. */
    async rule(fields: object): Promise<string> {
      const answer = await fixture.api('POST', path, { name: 'rule', trigger_type: 'any', ...fields });
      if (answer.status !== 201) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body.id;
    },
  };
}
