Feature: Values, variants and reasons

  Background:
    Given a stable provider

  Scenario Outline: A flag without a rule answers its default variant
    Given a <type>-flag with key "<key>" and a default value "<default>"
    When the flag was evaluated with details
    Then the resolved details value should be "<value>"
    And the variant should be "<variant>"
    And the reason should be "STATIC"
    And the error-code should be ""
    And no exception should have been thrown

    Examples:
      | key   | type    | default | value | variant |
      | plain | Boolean | false   | true  | on      |
      | zero  | Integer | 7       | 0     | none    |
      | empty | String  | text    |       | silent  |

  Scenario: An object arrives whole
    Given a Object-flag with key "shape" and a default value "{}"
    When the flag was evaluated with details
    Then the resolved object value should contain
      | key     | type    | value  |
      | corners | Integer | 0      |
      | name    | String  | circle |
      | filled  | Boolean | false  |
    And the error-code should be ""

  Scenario Outline: A flag that is off answers the default of the code
    Given a <type>-flag with key "<key>" and a default value "<default>"
    When the flag was evaluated with details
    Then the resolved details value should be "<default>"
    And no exception should have been thrown

    Examples:
      | key       | type    | default |
      | plain-off | Boolean | false   |
      | text-off  | String  | mine    |

  Scenario: A flag that has no variant to serve answers the default of the code
    Given a String-flag with key "unchosen" and a default value "mine"
    When the flag was evaluated with details
    Then the resolved details value should be "mine"
    And no exception should have been thrown

  Scenario Outline: A rule decides by the context
    Given a String-flag with key "by-country" and a default value "none"
    And a context containing a targeting key with value "ann"
    And a context containing a key "country", with type "String" and with value "<country>"
    When the flag was evaluated with details
    Then the resolved details value should be "<value>"
    And the reason should be "<reason>"
    And the error-code should be ""

    Examples:
      | country | value | reason          |
      | DE      | EUR   | TARGETING_MATCH |
      | US      | USD   | DEFAULT         |

  Scenario Outline: A rule decides by the targeting key
    Given a Boolean-flag with key "by-key" and a default value "false"
    And a context containing a targeting key with value "<key>"
    When the flag was evaluated with details
    Then the resolved details value should be "<value>"
    And the reason should be "TARGETING_MATCH"

    Examples:
      | key       | value |
      | staff-ann | true  |
      | ann       | false |

  Scenario: A share decides by the targeting key
    Given a Float-flag with key "halves" and a default value "0.5"
    And a context containing a targeting key with value "ann"
    When the flag was evaluated with details
    Then the resolved details value should be "2.5"
    And the variant should be "b"
    And the reason should be "TARGETING_MATCH"
