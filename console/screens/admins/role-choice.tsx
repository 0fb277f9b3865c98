/** Roles, with what they allow. */
export const roleTexts = [
  ['full', 'Full: everything except renaming and deleting the instance'],
  ['write', 'Write: data, code and users'],
  ['read', 'Read: view data, code and users'],
] as const;

interface RoleChoiceProps {
  /** For screen readers: the row shows whose role it is. */
  readonly label: string;
  readonly role: string;
  readonly onRole: (role: string) => void;
}

/** Changes a role at once. */
export function RoleChoice({ label, role, onRole }: RoleChoiceProps) {
  return (
    <select
      aria-label={label}
      value={role}
      onChange={({ currentTarget }) => {
        const chosen = currentTarget.value;
        currentTarget.value = role; // until it is changed: that may be refused
        onRole(chosen);
      }}
    >
      {roleTexts.map(([name]) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}
