/** Fields of a form that show and change the members of one object. */

/** From the name of a member to what its field takes. `change` gets the member that was changed. */
export function boundTo<Draft extends object>(draft: Draft, change: (part: Partial<Draft>) => void) {
  return <Name extends keyof Draft>(name: Name) => ({
    value: draft[name],
    onChange: (value: Draft[Name]) => change({ [name]: value } as unknown as Partial<Draft>),
  });
}
