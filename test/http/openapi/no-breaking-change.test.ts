/** A client that was written for an earlier release works with this one: in requests, answers and events. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { aGateway } from '../../support/gateway.ts';
import { embedded } from '../../support/stores.ts';
import { breakingChanges, type Document } from './breaking.ts';

const RELEASES = join(import.meta.dirname, 'releases');
const NO_NUMBER = 'people without a number exist on the network since 2026';
const LONGER = 'every number that the former pattern took has at most 20 characters';
const GUIDES = 'the page moved to /docs/api, and browsers follow the redirect of /docs to the guides';
const VERBATIM = 'the options hold whatever the network sends';

/** Differences that are no break, or that the contract asks for, with the reason. */
const ACCEPTED: Readonly<Record<string, string>> = {
  'BlastRecipient.phone: may be null': NO_NUMBER,
  'ConsentRecord.phone: may be null': NO_NUMBER,
  'Contact.phone: may be null': NO_NUMBER,
  'GetConsentHistoryResponse.current.phone: may be null': NO_NUMBER,
  'GetConsentHistoryResponse.phone: may be null': NO_NUMBER,
  'BlockPersonRequest.phone: maxLength is now 64': LONGER,
  'CreateAgentRequest.phone: maxLength is now 64': LONGER,
  'ErasePersonRequest.phone: maxLength is now 64': LONGER,
  'ExportDataRequest.phone: maxLength is now 64': LONGER,
  'TestStoreRequest.phone: maxLength is now 64': LONGER,
  'UpdateAgentRequest.phone: maxLength is now 64': LONGER,
  'GET /docs 200: removed': GUIDES,
  'GET /docs header accept-encoding: removed': GUIDES,
  'GetPasskeyStepResponse.options.rpId: removed': VERBATIM,
  'GetPasskeyStepResponse.options.timeout: removed': VERBATIM,
  'GetPasskeyStepResponse.options.userVerification: removed': VERBATIM,
  'CheckoutResponse.payment_url: no longer always there': 'left out only when the request says `preview`, which is new',
  'DELETE /v1/sessions/{sessionId}/chats/{chatId}/notes/{index} path 3: maxLength is now 64': 'an index has fewer digits',
  'DELETE /v1/sessions/{sessionId}/chats/{chatId}/notes/{index} path 3: no longer takes integer': 'digits are still an index',
  'POST /v1/contacts/import body.rows: now required': 'the first version took any object and refused it without rows',
};

describe('the API', () => {
  it('has not removed, renamed or narrowed anything since its first release', async (t) => {
    const gateway = await aGateway(t, { kind: embedded });
    const { body: now } = await gateway.api('GET', '/openapi.json');
    const releases = readdirSync(RELEASES).map((name): Document => JSON.parse(readFileSync(join(RELEASES, name), 'utf8')));
    const changes = releases.flatMap((before) => breakingChanges(before, now));
    // The gateway of this test has no sandbox API, which no business calls.
    assert.deepEqual(
      changes.filter((change) => !change.includes(' /sandbox/')),
      Object.keys(ACCEPTED).sort(),
    );
  });

  it('is checked for every kind of breaking change', () => {
    const before = notesApi();
    const after = (change: (api: ReturnType<typeof notesApi>) => void): string[] => {
      const changed = notesApi();
      change(changed);
      return breakingChanges(before, changed);
    };
    assert.deepEqual(
      after(() => {}),
      [],
    );
    assert.deepEqual(
      after(({ paths }) => Reflect.deleteProperty(paths, '/notes/{id}')),
      ['POST /notes/{id}: removed'],
    );
    assert.deepEqual(
      after(({ paths }) => paths['/notes/{id}'].post.parameters.pop()),
      ['POST /notes/{id} query lang: removed'],
    );
    assert.deepEqual(
      after(({ components: { schemas } }) => {
        schemas.Note.required = ['text', 'color'];
        schemas.Note.properties.text.maxLength = 10;
        schemas.Note.properties.color.enum = ['red'];
      }),
      ['Note.color: no longer takes blue', 'Note.color: now required', 'Note.text: maxLength is now 10'],
    );
    assert.deepEqual(
      after(({ components: { schemas } }) => {
        schemas.Event.required = [];
        schemas.Event.properties.at.type = ['integer', 'null'];
        Reflect.deleteProperty(schemas.Event.properties, 'by');
      }),
      ['Event.at: may be null', 'Event.at: no longer always there', 'Event.by: removed'],
    );
    assert.deepEqual(
      after(({ webhooks }) => Reflect.deleteProperty(webhooks, 'note.made')),
      ['event note.made: removed'],
    );
  });
});

function notesApi() {
  const content = (name: string) => ({ content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } } });
  const lang = { name: 'lang', in: 'query', schema: { type: 'string' } };
  return {
    paths: { '/notes/{id}': { post: { parameters: [lang], requestBody: content('Note'), responses: { 201: content('Event') } } } },
    webhooks: { 'note.made': { post: { requestBody: content('Event') } } },
    components: {
      parameters: {},
      schemas: {
        Note: {
          type: 'object',
          additionalProperties: false,
          required: ['text'],
          properties: { text: { type: 'string', maxLength: 20 }, color: { type: 'string', enum: ['red', 'blue'] } },
        },
        Event: {
          type: 'object',
          required: ['at'],
          properties: { at: { type: ['integer'] }, by: { type: 'string' } },
        },
      },
    },
  };
}
