import { MESSAGE, measure, RULES } from './workload.ts';

const tests = RULES.map(({ trigger_type, trigger_text }): ((text: string) => boolean) => {
  const wanted = trigger_text ?? '';
  if (trigger_type === 'keyword') return (text) => text === wanted;
  if (trigger_type === 'contains') return (text) => text.includes(wanted);
  const pattern = new RegExp(wanted, 'i');
  return (text) => pattern.test(text.slice(0, 4_096));
});

await measure(() => {
  const text = MESSAGE.toLowerCase();
  return tests.find((test) => test(text));
}, process.argv[2] === 'quick');
