import assert from 'node:assert/strict';
import { it } from 'node:test';
import { curlOf, tell, typescriptOf } from '../../../../../http/console/app/api/told.ts';

const HERE = 'http://127.0.0.1:8080';

it('a call is told for a shell and for TypeScript, whatever is typed into it', () => {
  const told = tell('editMessage', { params: { sessionId: 's1', messageId: 'a/b' }, query: {}, body: { body: "It's $HOME" } });
  assert.equal(
    curlOf(told, HERE),
    `curl -X PATCH 'http://127.0.0.1:8080/v1/sessions/s1/messages/a%2Fb' \\
  -H "Authorization: Bearer $TOKEN" \\
  --json '{"body":"It'\\''s $HOME"}'`,
  );
  assert.match(typescriptOf(told), /^await gateway\.call\('editMessage', \{\s+"params"/);
  assert.match(curlOf(tell('drainNode', { params: { nodeId: 'n1' } }), HERE), /X-Admin-Secret: \$ADMIN_SECRET"$/);
});

it('what is secret is not told, and files are named', () => {
  const secret = tell('createWebhook', { body: { url: 'https://example.com', secret: 'very much so' } });
  const second = tell('enableTwoFactor', { body: { code: '123456' } });
  for (const told of [secret, second]) assert.doesNotMatch(curlOf(told, HERE) + typescriptOf(told), /very much|123456/);
  const form = new FormData();
  form.append('file', new File(['x'], "menu's.png"));
  const upload = tell('uploadMedia', { body: form });
  assert.match(curlOf(upload, HERE), /-F 'file=@menu'\\''s\.png'$/);
  assert.match(typescriptOf(upload), /"body": "the file"/);
});
