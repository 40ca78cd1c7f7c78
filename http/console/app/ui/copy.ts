/** Copies a text. False: the browser did not, as on plain http or where it is not allowed. */
export async function copyText(
  text: string,
  clipboard: Pick<{ writeText(text: string): Promise<void> }, 'writeText'> | undefined,
): Promise<boolean> {
  try {
    await clipboard?.writeText(text);
    return clipboard !== undefined;
  } catch {
    return false;
  }
}
