import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { n8nOf } from './n8n.ts';
import { clientOf, pythonOf } from './typescript-and-python.ts';

const address = process.env['GATEWAY_URL'] ?? 'http://127.0.0.1:8080';
const document: unknown = await (await fetch(`${address}/openapi.json`)).json();
writeFileSync(join(import.meta.dirname, '../../../http/openapi/client/gateway.generated.ts'), clientOf(document));
writeFileSync(join(import.meta.dirname, '../python/messaging_gateway/operations.py'), pythonOf(document));
writeFileSync(join(import.meta.dirname, '../../n8n/nodes/operations.generated.json'), n8nOf(document));
