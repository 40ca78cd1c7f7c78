import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readConfig } from '../../../scripts/wiring/config.ts';

it('AI engine settings require an address and a model, but no key', () => {
  const read = (env: Readonly<Record<string, string>>) => readConfig(env, '/nowhere');
  const { ai_url, ai_model, ai_key } = read({ AI_URL: 'http://127.0.0.1:11434/v1', AI_MODEL: 'small' });
  assert.deepEqual([ai_url, ai_model, ai_key], ['http://127.0.0.1:11434/v1', 'small', null]);
  assert.equal(read({}).ai_url, null);
  assert.throws(() => read({ AI_URL: 'http://127.0.0.1:11434/v1' }), {
    message: 'AI_URL and AI_MODEL must be set together, but one of them is missing.',
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

it('catalogue settings require an address and a token, but no query ids', () => {
  const read = (env: Readonly<Record<string, string>>) => readConfig(env, '/nowhere');
  const way = { CATALOG_GRAPHQL_URL: 'https://graph.example/catalog', CATALOG_GRAPHQL_TOKEN: 'WA|EXAMPLE' };
  assert.equal(read({}).catalog_graphql_url, null);
  const { catalog_graphql_token, catalog_graphql_ids } = read({ ...way, CATALOG_GRAPHQL_IDS: '{"products": "12345"}' });
  assert.deepEqual([catalog_graphql_token, catalog_graphql_ids], ['WA|EXAMPLE', { ...read(way).catalog_graphql_ids, products: '12345' }]);
  assert.throws(() => read({ CATALOG_GRAPHQL_TOKEN: way.CATALOG_GRAPHQL_TOKEN }), {
    message: 'CATALOG_GRAPHQL_URL and CATALOG_GRAPHQL_TOKEN must be set together, but one of them is missing.',
  });
  assert.throws(() => read({ ...way, CATALOG_GRAPHQL_IDS: '{"products": "x"}' }), /CATALOG_GRAPHQL_IDS/);
  assert.throws(() => read({ ...way, CATALOG_GRAPHQL_IDS: 'products' }), /CATALOG_GRAPHQL_IDS/);
  assert.deepEqual(read({ WHATSAPP_MEX: '{"list": ["12345"]}' }).whatsapp_mex, { list: ['12345'] });
});
