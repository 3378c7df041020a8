/** A whole number in groups of three digits with space between them; its text has no space. */
export function Digits({ of }: { of: number }) {
  const groups = String(of).split(/(?=(?:\d{3})+$)/)
  return (
    <span class="digits">
      {groups.map((group, i) => (
        <span key={i}>{group}</span>
      ))}
    </span>
  )
}
