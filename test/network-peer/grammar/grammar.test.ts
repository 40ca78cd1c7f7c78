import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { overThePeer } from '../../actors/network/whatsapp/peer-world.ts';
import { aDevice } from '../../actors/network/world.ts';
import type { Way } from '../journal.ts';
import { el, type Stanza, THE_SERVER } from '../stanza.ts';
import { APART, isExcused } from './apart.ts';
import { hasGrammar } from './files.ts';
import { Grammar } from './grammar.ts';

const WHY = 'the files of the grammar do not lie beside this repository';
if (!hasGrammar()) console.log(`${WHY}: stanzas are not held against it.`);

const [TO, BYTES] = ['123@lid', Buffer.alloc(32)];
const sealed = (attrs: Record<string, string> = {}): Stanza => el('enc', { v: '2', type: 'msg', ...attrs }, BYTES);
const text = (attrs: Record<string, string>, parts: readonly Stanza[]): Stanza =>
  el('message', { id: 'm', to: TO, type: 'text', ...attrs }, parts);
const asked = el('iq', { id: '1', to: 's.whatsapp.net', xmlns: 'encrypt', type: 'get' }, [el('digest')]);
const answered = (parts: readonly Stanza[]): Stanza => el('iq', { id: '1', from: THE_SERVER, type: 'result' }, parts);

/** Returns the faults that the grammar finds in these stanzas of one connection, in order. */
function faultsOf(...stanzas: readonly (readonly [Way, Stanza])[]): readonly string[] {
  const grammar = new Grammar();
  return stanzas.flatMap(([way, stanza]) => grammar.check('a line', way, stanza)).filter((fault) => !isExcused(fault));
}

describe("the grammar of the web client's protocol", { skip: !hasGrammar() && WHY }, () => {
  it('detects stanzas that the client would never send', () => {
    assert.deepEqual(faultsOf(['up', text({ peer_recipient_pn: '62811@s.whatsapp.net' }, [sealed()])]), []);
    assert.deepEqual(faultsOf(['up', text({ colour: 'red' }, [sealed()])]), ['up message: attribute colour is not known']);
    assert.deepEqual(faultsOf(['up', text({}, [sealed(), el('glitter')])]), ['up message glitter: not known']);
    assert.deepEqual(faultsOf(['up', text({}, [sealed({ colour: 'red' })])]), ['up message enc: attribute colour is not known']);
    assert.deepEqual(faultsOf(['up', el('message', { to: TO, type: 'text' }, [sealed()])]), ['up message: no attribute id']);
    const props = el('iq', { id: '1', to: 's.whatsapp.net', xmlns: 'abt', type: 'get' }, [el('props', { protocol: 2 })]);
    assert.deepEqual(faultsOf(['up', props]), ['up iq abt props: protocol is 1']);
  });

  it('detects elements that the client cannot read or would ignore', () => {
    const [registration, type, identity] = [
      el('registration', {}, Buffer.alloc(4)),
      el('type', {}, Buffer.from([5])),
      el('identity', {}, BYTES),
    ];
    const skey = el('skey', {}, [el('id', {}, Buffer.alloc(3)), el('value', {}, BYTES), el('signature', {}, Buffer.alloc(64))]);
    const whole = [registration, type, identity, skey, el('list', {}, [el('id', {}, Buffer.alloc(3))])];
    const digest = (parts: readonly Stanza[]) => answered([el('digest', {}, parts)]);
    const hash = el('hash', {}, Buffer.alloc(20));
    assert.deepEqual(faultsOf(['up', asked], ['down', digest([...whole, hash])]), []);
    assert.deepEqual(faultsOf(['up', asked], ['down', digest(whole)]), ['down iq encrypt digest hash: is missing']);
    assert.deepEqual(faultsOf(['up', asked], ['down', digest([...whole, el('hash', {}, BYTES)])]), [
      'down iq encrypt digest hash: 32 bytes',
    ]);
    assert.deepEqual(faultsOf(['up', asked], ['down', digest([...whole, hash, el('glitter')])]), [
      'down iq encrypt digest glitter: nobody reads it',
    ]);
    assert.deepEqual(faultsOf(['down', el('ack', { id: 'm', class: 'message', from: TO, colour: 'red' })]), [
      'down ack: nobody reads attribute colour',
    ]);
  });

  it('detects unknown error codes and unknown kinds of stanzas', () => {
    const ping = el('iq', { id: '1', to: 'g.us', xmlns: 'w:g2', type: 'set' }, [el('subject', {}, 'A name')]);
    const refused = (code: number, said: string) => el('iq', { id: '1', from: 'g.us', type: 'error' }, [el('error', { code, text: said })]);
    assert.deepEqual(faultsOf(['up', ping], ['down', refused(403, 'forbidden')]), []);
    assert.deepEqual(faultsOf(['up', ping], ['down', refused(701, 'odd')]), ['down iq w:g2: error 701 odd is none that it has']);
    assert.deepEqual(faultsOf(['up', el('glitter')]), ['up glitter: not described']);
    assert.deepEqual(faultsOf(['up', el('iq', { id: '2', xmlns: 'glitter', type: 'get' }, [])]), ['up iq glitter get: not described']);
  });

  it("covers every stanza used in the driver's tests", async (t: TestContext) => {
    const world = await overThePeer(t);
    const shop = await aDevice(world, '6281100000001');
    shop.sends('m1', '6281100000002');
    await shop.hears('acked');
    assert.deepEqual(world.peer.grammar?.faults, []);
  });

  it('gives a reason for each exception', () => {
    for (const { reason, faults } of APART) assert.ok(reason.length > 20 && faults.length > 0);
    const all = APART.flatMap(({ faults }) => faults);
    assert.equal(new Set(all).size, all.length);
  });
});
