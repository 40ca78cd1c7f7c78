import assert from 'node:assert/strict';
import { it } from 'node:test';
import { curlOf, shownCall, typescriptOf } from '../../../../../http/console/app/api/call-as-code.ts';

const HERE = 'http://127.0.0.1:8080';

it('an API call is shown as shell and TypeScript code with its special characters escaped', () => {
  const shown = shownCall('editMessage', { params: { sessionId: 's1', messageId: 'a/b' }, query: {}, body: { body: "It's $HOME" } });
  assert.equal(
    curlOf(shown, HERE),
    `curl -X PATCH 'http://127.0.0.1:8080/v1/sessions/s1/messages/a%2Fb' \\
  -H "Authorization: Bearer $TOKEN" \\
  --json '{"body":"It'\\''s $HOME"}'`,
  );
  assert.match(typescriptOf(shown), /^await gateway\.call\('editMessage', \{\s+"params"/);
  assert.match(curlOf(shownCall('drainNode', { params: { nodeId: 'n1' } }), HERE), /X-Admin-Secret: \$ADMIN_SECRET"$/);
});

it('an API call shown as code hides secrets and refers to files by name', () => {
  const secret = shownCall('createWebhook', { body: { url: 'https://example.com', secret: 'very much so' } });
  const second = shownCall('enableTwoFactor', { body: { code: '123456' } });
  for (const shown of [secret, second]) assert.doesNotMatch(curlOf(shown, HERE) + typescriptOf(shown), /very much|123456/);
  const form = new FormData();
  form.append('file', new File(['x'], "menu's.png"));
  const upload = shownCall('uploadMedia', { body: form });
  assert.match(curlOf(upload, HERE), /-F 'file=@menu'\\''s\.png'$/);
  assert.match(typescriptOf(upload), /"body": "the file"/);
});
