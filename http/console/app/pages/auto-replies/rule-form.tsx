import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { Choice } from '../../ui/choice.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { words } from './words.ts';

type Rule = Schemas['AutoReplyRule'];

const TRIGGERS = ['keyword', 'contains', 'any', 'regex'] as const;
const SECOND_MS = 1_000;
const USUAL_COOLDOWN_S = 60;

interface RuleFormProps {
  readonly sessionId: string;
  readonly rule: Rule | null;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

export function RuleForm({ sessionId, rule, isOpen, onClose, onSaved }: RuleFormProps): JSX.Element {
  const t = words();
  const [name, reply] = [useSignal(rule?.name ?? ''), useSignal(rule?.reply_body ?? '')];
  const trigger = useSignal<Rule['trigger_type']>(rule?.trigger_type ?? 'keyword');
  const [text, isCased] = [useSignal(rule?.trigger_text ?? ''), useSignal(rule?.match_case === 1)];
  const seconds = useSignal(String(rule ? rule.cooldown_ms / SECOND_MS : USUAL_COOLDOWN_S));
  const priority = useSignal(String(rule?.priority ?? 0));
  const body = {
    name: name.value,
    trigger_type: trigger.value,
    trigger_text: trigger.value === 'any' ? null : text.value,
    match_case: isCased.value,
    reply_body: reply.value,
    cooldown_ms: Math.round(Number(seconds.value) * SECOND_MS),
    priority: Number(priority.value),
  };
  const save = async (): Promise<void> => {
    if (rule) await call('changeAutoReply', { params: { sessionId, ruleId: rule.id }, body });
    else {
      await call('createAutoReply', { params: { sessionId }, body });
      for (const field of [name, text, reply]) field.value = '';
    }
    onClose();
    onSaved();
  };
  return (
    <FormDialog
      title={rule ? t.editOf(rule.name) : t.add}
      isOpen={isOpen}
      onClose={onClose}
      save={save}
      code={
        rule ? (
          <AsCode operation="changeAutoReply" input={{ params: { sessionId, ruleId: rule.id }, body }} />
        ) : (
          <AsCode operation="createAutoReply" input={{ params: { sessionId }, body }} />
        )
      }
    >
      <Field label={t.name} required maxLength={100} autocomplete="off" value={name.value} onValue={(value) => (name.value = value)} />
      <Choice
        label={t.trigger}
        value={trigger.value}
        options={TRIGGERS.map((one) => [one, t.triggers[one]] as const)}
        onValue={(value) => (trigger.value = value)}
      />
      {trigger.value !== 'any' && (
        <>
          <Field label={t.text} required autocomplete="off" value={text.value} onValue={(value) => (text.value = value)} />
          <label class="row">
            <input type="checkbox" checked={isCased.value} onChange={(event) => (isCased.value = event.currentTarget.checked)} />
            {t.matchCase}
          </label>
        </>
      )}
      <Field label={t.reply} hint={t.replyHint} required lines={4} value={reply.value} onValue={(value) => (reply.value = value)} />
      <Field label={t.cooldown} type="number" required value={seconds.value} onValue={(value) => (seconds.value = value)} />
      <Field
        label={t.priority}
        hint={t.priorityHint}
        type="number"
        required
        value={priority.value}
        onValue={(value) => (priority.value = value)}
      />
    </FormDialog>
  );
}
