import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { PLACES } from '../../../../scripts/examples/client/gateway.generated.ts';
import { addressOf, type Input, isOperators, type OperationId } from '../api/client.ts';
import { common } from '../words/common.ts';
import { copyText } from './copy.ts';

interface AsCodeProps<Id extends OperationId> {
  readonly operation: Id;
  readonly input: Input<Id>;
}

/** The call that a button makes, for a shell and for TypeScript. */
export function AsCode<Id extends OperationId>({ operation, input }: AsCodeProps<Id>): JSX.Element {
  const t = common();
  const copied = useSignal<boolean | null>(null);
  const copy = async (): Promise<void> => {
    copied.value = await copyText(curlOf(operation, input), navigator.clipboard);
  };
  return (
    <details class="as-code">
      <summary>{t.showAsCode}</summary>
      <div class="stack">
        <section class="code" tabIndex={0} aria-label="curl">
          <pre>{curlOf(operation, input)}</pre>
        </section>
        <section class="code" tabIndex={0} aria-label="TypeScript">
          <pre>{typescriptOf(operation, input)}</pre>
        </section>
        <div class="row">
          <button type="button" class="button slim" onClick={copy}>
            {t.copy} curl
          </button>
          <span role="status" class="small soft">
            {copied.value === null ? '' : copied.value ? t.copied : t.notCopied}
          </span>
        </div>
      </div>
    </details>
  );
}

/** In single quotes of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function curlOf<Id extends OperationId>(id: Id, input: Input<Id>): string {
  const [method] = PLACES[id];
  const secret = isOperators(id) ? 'X-Admin-Secret: $ADMIN_SECRET' : 'Authorization: Bearer $TOKEN';
  const lines = [
    `curl -X ${method} ${quoted(location.origin + addressOf(id, input))}`,
    `  -H "${secret}"`,
    ...(input.body === undefined ? [] : [`  --json ${quoted(JSON.stringify(input.body))}`]),
  ];
  return lines.join(' \\\n');
}

function typescriptOf<Id extends OperationId>(id: Id, { params, query, body }: Input<Id>): string {
  const parts = Object.entries({ params, query, body }).filter(([, part]) => part !== undefined);
  return `await gateway.call('${id}', ${JSON.stringify(Object.fromEntries(parts), null, 2)})`;
}
