export function acceptedEncoding<Name extends string>(offered: readonly Name[], accepts = ''): Name | undefined {
  const wanted = new Set(accepts.split(',').flatMap(encodingIn));
  return offered.find((name) => wanted.has(name));
}

function encodingIn(text: string): string[] {
  const [name = '', ...rest] = text.toLowerCase().split(';');
  return rest.some((part) => /^\s*q\s*=\s*0(\.0*)?\s*$/.test(part)) ? [] : [name.trim()];
}
