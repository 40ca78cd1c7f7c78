import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readConfig } from '../../../scripts/wiring/config.ts';

it('an engine is an address and a model, and its key is optional', () => {
  const read = (env: Readonly<Record<string, string>>) => readConfig(env, '/nowhere');
  const { ai_url, ai_model, ai_key } = read({ AI_URL: 'http://127.0.0.1:11434/v1', AI_MODEL: 'small' });
  assert.deepEqual([ai_url, ai_model, ai_key], ['http://127.0.0.1:11434/v1', 'small', null]);
  assert.equal(read({}).ai_url, null);
  assert.throws(() => read({ AI_URL: 'http://127.0.0.1:11434/v1' }), {
    message: 'AI_URL and AI_MODEL go together: one of them is not set.',
  });
  assert.throws(
    () => read({ AI_MODEL: 'small', AI_KEY: 'sk-EXAMPLE' }),
    ({ message }: Error) => !message.includes('sk-EXAMPLE'),
  );
  const embedding = { AI_URL: 'http://127.0.0.1:11434/v1', AI_MODEL: 'small', AI_EMBEDDING_MODEL: 'places' };
  assert.equal(read(embedding).ai_embedding_model, 'places');
  assert.throws(() => read({ AI_EMBEDDING_MODEL: 'places' }), { message: 'AI_EMBEDDING_MODEL is set, but AI_URL is not.' });
  assert.throws(() => read({ AI_URL: 'file:///etc/passwd', AI_MODEL: 'small' }), /AI_URL/);
});
