/** Returns false on plain http and without permission. */
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
