import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aReceiver } from '../actors/services/webhooks/receiver.ts';
import { aGateway } from '../support/gateway.ts';
import { NEVER_FULL } from '../support/limits.ts';
import { eachStore } from '../support/stores.ts';
import { deviceOf, furnished, ROOMY } from './belongings.ts';
import { asked, naming, rowsOfTenants, view } from './requests.ts';
import { shownByTools, toolsNaming, UNKNOWN_TO_TOOLS, used } from './tools.ts';

/** Filters of lists of one's own, which leave nothing, and a list of contacts none of which is there. */
const EMPTY = /^(list\w+|exportContacts|changeContacts) with \w+ → 200 .*(\[\]|"changed":0|username\\"\\n")/;
/** Rules may name a group that is not there: nobody is in it. */
const IN_NO_GROUP = /^((create|change)Segment with value → 20[01] |previewSegment with value → 200 \{"count":0,)/;
/** Codes and texts of what is not there; bulk sends are refused one by one. */
const UNKNOWN = /→ (404 .*"NOT_FOUND"|202 \{"results":\[\{"error":"Not found|400 .*(there is no group with|names no group|no device))/;

eachStore('a business', (kind) => {
  it("cannot read or change another business's data with any of that business's ids", async (t) => {
    const receiver = await aReceiver(t);
    const gateway = await aGateway(t, { kind, limits: NEVER_FULL, config: { egress_allow: [receiver.place], plans: ROOMY } });
    const settled = async (name: string, phone: string) => {
      const tenant = await gateway.signUp(name, `+${phone}`);
      const things = await furnished(gateway, tenant, name, receiver.url);
      const own = new Map([...things, ...(await deviceOf(gateway, tenant, name, `${phone}1`))]);
      return { tenant, own, uploaded: new Map([['/v1/media', things.get('/v1/media')!]]) };
    };
    const acme = await settled('Acme', '628110000999');
    const spies = await settled('Globex', '628110000888');
    const rows = rowsOfTenants(gateway);
    const before = await view(gateway, acme.tenant.api, rows, acme.own);
    const requests = [acme.own, acme.uploaded].flatMap((strange) => naming(rows, strange, spies.own));
    assert.ok(requests.length > 150, `${requests.length} requests`);
    for (const one of requests) {
      const { status, body } = await gateway.during(asked(spies.tenant.api, one));
      const shown = `${one.title} → ${status} ${JSON.stringify(body)}`;
      assert.doesNotMatch(shown, /Acme/);
      assert.ok(
        [UNKNOWN, EMPTY, IN_NO_GROUP].some((pattern) => pattern.test(shown)),
        shown,
      );
    }
    const uses = toolsNaming(acme.own, spies.own);
    assert.ok(uses.length > 10, `${uses.length} uses of tools`);
    for (const one of uses) assert.match(await gateway.during(used(spies.tenant.api, one)), UNKNOWN_TO_TOOLS);
    assert.doesNotMatch(await gateway.during(shownByTools(spies.tenant.api, spies.own)), /Acme/);
    assert.match(await gateway.during(shownByTools(acme.tenant.api, acme.own)), /Acme/);
    assert.deepEqual(await view(gateway, acme.tenant.api, rows, acme.own), before);
  });
});
