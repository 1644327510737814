/** The sign of formflag. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" class="ground" />
      <path d="M10 24V8h11l-2.5 4.5L21 17H10" class="sign" />
    </svg>
  );
}
