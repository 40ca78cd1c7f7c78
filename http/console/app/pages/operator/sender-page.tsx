import type { JSX } from 'preact';
import { OperatorsOnly } from './gate.tsx';
import { Sender } from './sender.tsx';
import { words } from './words.ts';

export function SenderPage(): JSX.Element {
  const t = words();
  return (
    <OperatorsOnly title={t.sender} about={t.senderAbout}>
      <Sender />
    </OperatorsOnly>
  );
}
