import type { JSX } from 'preact';
import { words } from './words.ts';

const SNIPPETS = [
  {
    language: 'Node.js',
    code: `import { createHmac, timingSafeEqual } from 'node:crypto';

const expected = 'sha256=' + createHmac('sha256', secret).update(rawBody).digest('base64');
const given = request.headers['x-webhook-signature'];
const isOurs = given.length === expected.length
  && timingSafeEqual(Buffer.from(given), Buffer.from(expected));`,
  },
  {
    language: 'Python',
    code: `import base64, hashlib, hmac

expected = 'sha256=' + base64.b64encode(hmac.new(secret.encode(), raw_body, hashlib.sha256).digest()).decode()
is_ours = hmac.compare_digest(headers['X-Webhook-Signature'], expected)`,
  },
  {
    language: 'PHP',
    code: `$expected = 'sha256=' . base64_encode(hash_hmac('sha256', $rawBody, $secret, true));
$isOurs = hash_equals($expected, $_SERVER['HTTP_X_WEBHOOK_SIGNATURE']);`,
  },
] as const;

export function Signatures(): JSX.Element {
  return (
    <details class="card">
      <summary>{words().signature}</summary>
      <div class="stack">
        {SNIPPETS.map(({ language, code }) => (
          <section key={language} class="code" tabIndex={0} aria-label={language}>
            <pre>{code}</pre>
          </section>
        ))}
      </div>
    </details>
  );
}
